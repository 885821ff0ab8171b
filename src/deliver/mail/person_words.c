/* SPDX-License-Identifier: MIT
 * By language: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish. */
#include "deliver/mail/person_words.h"

const char person_names[] =
    "user|recip|mailbox|mail box|account|address|alias|customer|employee|person|subscriber|member |receiver |destination|"
    "rcpt|local part|local-part|inbox|"
    "e-mail-adress|email-adress|emailadress|mail-adress|mailadress|benutzer|nutzer|empf?nger|empfaenger|postfach|konto|"
    "kunde|teilnehmer|mitarbeiter|adress|mailkonto|"
    "utilisateur|destinataire|bo?te|boite|compte|abonn?|messagerie|"
    "usuari|usu?ri|destinatari|destinat?ri|cuenta|buz?n|buzon|direcci?n|direccion|casilla|"
    "utent|casell|indirizz|"
    "utilizador|caixa|conta |endere?o|endereco|"
    "gebruiker|ontvanger|geadresseerde|postvak|postbus|adres |e-mailadres|mailadres|emailadres|"
    "u?ytkowni|uzytkowni|odbiorc|adresat|skrzynk|kont |konta |adresu ";

const char person_absences[] =
    "unknown or illegal|unknown local|unknown virtual|unknown|no such local|no such virtual|no such|not found|"
    "could not be found|couldn't be found|cannot be found|can not be found|can't be found|not exist|"
    "does not currently exist|doesn't exist|don't exist|non-exist|nonexist|non exist|invalid|not a valid|not valid|"
    "no valid|isn't valid|isn't a valid|not a known|not known|not a user|not a recognized|not recognized|not recognised|"
    "not local|not a local|not our|not present|not listed in domino directory|not listed in directory|"
    "not listed in the directory|not in directory|not in the directory|not in our directory|not active|not an active|"
    "inactive|disabled|deactivated|closed|deleted|removed|terminated|discontinued|retired|obsolete|doesn't have a|"
    "does not have a|not have an|no longer accepts mail|no longer active|no longer available|no longer exist|"
    "no longer in use|no longer in service|no longer valid|no longer used|no longer with|no longer work|no longer here|"
    "has moved|by that name|by this name|of that name|with that name|misspelled|mistyped|"
    "unbekannt|existiert nicht|existieren nicht|existiert hier nicht|existiert leider nicht|nicht existent|"
    "nicht existier|nicht vorhanden|nicht gefunden|nicht bekannt|gibt es nicht|gibt es hier nicht|nicht mehr g?ltig|"
    "nicht mehr gueltig|nicht mehr aktiv|nicht mehr vorhanden|nicht mehr|nicht g?ltig|ung?ltig|ungueltig|deaktiviert|"
    "gel?scht|geloescht|kein |keine |keinen |"
    "inconnu|n'existe pas|n'existe plus|inexist|introuvable|invalide|non valide|non trouv|pas trouv|pas valide|"
    "plus valide|d?sactiv|desactiv|supprim|aucun|"
    "desconocid|no existe|no encontrad|no se encuentra|no se encontr|no es v?lid|no es valid|no v?lid|inv?lid|"
    "deshabilitad|eliminad|dado de baja|dada de baja|ning?n|ningun|"
    "sconosciut|non esiste|inesistent|non trovat|non valid|non ? valid|disattivat|disabilitat|nessun|non presente|"
    "desconhecid|n?o existe|nao existe|n?o encontrad|nao encontrad|n?o foi encontrad|nao foi encontrad|desativad|"
    "desabilitad|exclu?d|nenhum|"
    "onbekend|bestaat niet|bestaat hier niet|niet gevonden|ongeldig|niet bekend|niet geldig|geen |uitgeschakeld|"
    "verwijderd|opgeheven|"
    "nieznan|nie istnieje|nie znalezion|nie ma taki|brak |nieprawid?ow|nieprawidlow|niepoprawn|usuni?t|usuniet";

const char person_sayings[] =
    "unknown local part|unknown local-part|no such local part|bad address|bad recipient|bad mailbox|bad destination|"
    "no mailbox|no mail box|no user|no account|no recipient|no one at|no one here|no one by|nobody|no person|userunknown|"
    "invalid-recipient|user-unknown|unknown-user|left the company|left the organi|left our company|no longer employed|"
    "no longer works|no longer with the company|mailbox disabled not accepting messages|"
    "mailbox is disabled not accepting messages|keine solche person|no existe dicha persona";

const char person_unavailable[] =
    "mailbox unavailable|mailbox is unavailable|mailbox not available|postfach nicht verf?gbar|postfach nicht verfuegbar";

const char person_phrases[] =
    "check the address and try again|check the email address and try again|check the recipient address and try again|"
    "you are trying to contact|you tried to contact|unable to deliver|in relay recipient table|in relay recipient map|"
    "not listed in domino directory|callout verification failed|please verify the recipient|please verify the address|"
    "please verify the email|please verify that the|verify the spelling|requested action not taken|"
    "requested mail action not taken|requested mail action aborted|requested action aborted|or not local|"
    "for explanation visit|for more information|for more details|more information|go to|see also|you tried to reach|"
    "you are trying to reach|you entered|you have entered|you specified|you have specified|"
    "your message to cannot be delivered|your message to could not be delivered|email address|e-mail address|"
    "mail address|email account|e-mail account|mail account|email recipient|mail recipient|email user|mail user|"
    "adresse e-mail|adresse email|adresse mail|indirizzo e-mail|indirizzo email|direcci?n de email|direcci?n e-mail|"
    "cuenta de email|de e-mail|de email|could not be delivered|cannot be delivered|couldn't be delivered|"
    "can't be delivered|was not delivered|wasn't delivered|not deliverable|not delivered|message was not accepted|"
    "message not accepted|mail not accepted|delivery error dd|delivery error|learn more at|delivery failed|"
    "delivery failure|permanent failure|permanent error|permanent fatal error|error user|error unknown user|"
    "error unknown recipient|error unknown mailbox|error unknown address|error recipient|error no such|error no mailbox|"
    "error invalid|error mailbox|error address|error account|delivery to|please try double-checking|"
    "please try to double-check|try checking|double-check|please check|please re-check|please recheck|check the|"
    "check that|check for|in our system|on our system|on this system|at this system|in this system|on our server|"
    "on this server|at this server|in our database|at this domain|in this domain|on this domain|for this domain|"
    "at our domain|in our domain|in domain|at domain|for domain|smtp address lookup|host said|at this host|on this host|"
    "at this site|in local recipient table|in virtual mailbox table|in virtual alias table|in mailbox table|"
    "in recipient table|in our directory|in the directory|in directory|in this organi|in diesem system|im system|"
    "because the|in reply to rcpt to command|in reply to end of data command|mode normal|local mailbox is unavailable|"
    "domain of this address does not accept mail null mx|domain does not accept mail null mx|"
    "domain does not accept mail nullmx|auf diesem server|sur ce serveur|en este servidor|su questo server|"
    "neste servidor|op deze server|na tym serwerze";

const char person_neutral[] =
    "found |the |an |this |that |these |those |there |here |where |which |who |is |are |does |do |did |was |were |be |"
    "been |has |have |had |could |cannot |can |by |of |in |on |at |to |for |from |with |and |or |as |if |it |its |i'm |"
    "am |my |we |our |he |she |one |more |any |exactly |longer |sorry |please |try |may |contain |contains |"
    "unfortunately |however |hello |dear |permanent |permanently |fatal |reject |rejected |rejecting |rejection |"
    "undeliverable |name |names |typo |typos |typing |spelling |spelled |spelt |correct |correctly |incorrect |"
    "incorrectly |misspelled |unnecessary |spaces |extra |said |organization |organisation |company |site |tenant |"
    "gsmtp |gcdp |chkuser |cuda_nsu |id |ref |resolver |wrong |specified |given |entered |requested |intended |"
    "individual |contact |see |visit |details |http |https |www |"
    "der |die |das |den |dem |des |ein |eine |einen |einem |einer |diese |dieser |dieses |diesem |diesen |hier |ist |"
    "sind |wird |wurde |mit |und |oder |zu |im |auf |bei |unter |es |er |sie |f?r |fuer |namen |mehr |leider |bitte |"
    "?berpr?fen |ueberpruefen |pr?fen |pruefen |angegebene |angegebenen |abgelehnt |abgewiesen |zur?ckgewiesen |"
    "unzustellbar |zustellbar |firma |unternehmen |"
    "le |la |les |un |une |du |au |aux |moins |ce |cet |cette |ici |est |sont |sur |dans |pour |et |ou |nom |plus |?t? |"
    "ete |que |rejet? |rejete |rejet?e |rejetee |refus? |refus?e |refusee |veuillez |v?rifier |courriel |?lectronique |"
    "electronique |lettres |n'est |"
    "el |los |las |una |del |en |este |esta |ese |esa |aqu? |aqui |ha |sido |con |por |favor |compruebe |revise |correo |"
    "electr?nico |electronico |rechazad|lo |siento |nombre |"
    "il |gli |di |della |questo |questa |qui |qu? |stato |stata |rifiutat|per |si |simile |posta |elettronica |"
    "spiacenti |spiacente |nome |nel |"
    "os |um |uma |da |em |neste |nesta |foi |rejeitad|com |eletr?nico |eletronico |"
    "de |het |een |deze |dit |van |op |met |geweigerd |naam |helaas |postadres |"
    "na |lub |jest |zosta? |zostal |tutaj |tego |tej |ten |ta |tym |tu |takiego |podany |takiej |taki |taka |nazwie |"
    "nazwy |odrzucon|poczty |pocztow";
