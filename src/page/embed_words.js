// SPDX-License-Identifier: MIT
// A part of embed.js: its own texts.

// by the attribute that replaces a text
const texts = {
	"message": {
		en: "Thank you. You are signed up.",
		de: "Danke. Du bist angemeldet.",
		es: "Gracias. Te has inscrito.",
		fr: "Merci. Votre inscription est prise en compte.",
	},
	"again": {
		en: "You are already signed up.",
		de: "Du bist schon angemeldet.",
		es: "Ya estabas en la lista.",
		fr: "Vous \u00eates d\u00e9j\u00e0 sur la liste.",
	},
	"check-mail": {
		en: "Thank you. Please check your inbox.",
		de: "Danke. Bitte schau in dein Postfach.",
		es: "Gracias. Revisa tu correo.",
		fr: "Merci. Consultez votre messagerie.",
	},
	"check-phone": {
		en: "Thank you. We have sent you a code.",
		de: "Danke. Wir haben dir einen Code geschickt.",
		es: "Gracias. Te hemos enviado un c\u00f3digo.",
		fr: "Merci. Nous vous avons envoy\u00e9 un code.",
	},
	"code-link": {
		en: "Enter the code",
		de: "Code eingeben",
		es: "Introducir el c\u00f3digo",
		fr: "Saisir le code",
	},
	"confirm": {
		en: "Please confirm your address: we have sent you an email.",
		de: "Bitte best\u00e4tige deine Adresse: Wir haben dir eine E-Mail geschickt.",
		es: "Confirma tu direcci\u00f3n: te hemos enviado un correo.",
		fr: "Confirmez votre adresse : nous vous avons envoy\u00e9 un e-mail.",
	},
	"share-link": {
		en: "Your link to share:",
		de: "Dein Link zum Teilen:",
		es: "Tu enlace para compartir:",
		fr: "Votre lien \u00e0 partager :",
	},
	"position": {
		en: "Your position",
		de: "Dein Platz",
		es: "Tu posici\u00f3n",
		fr: "Votre place",
	},
	"points": {
		en: "Your points",
		de: "Deine Punkte",
		es: "Tus puntos",
		fr: "Vos points",
	},
	"referrals": {
		en: "Friends joined",
		de: "Empfehlungen",
		es: "Invitados",
		fr: "Parrainages",
	},
	"link": {
		en: "Your link",
		de: "Dein Link",
		es: "Tu enlace",
		fr: "Votre lien",
	},
	"error": {
		en: "This did not work. Please try again later.",
		de: "Das hat nicht geklappt. Bitte versuche es sp\u00e4ter noch einmal.",
		es: "No ha funcionado. Int\u00e9ntalo de nuevo m\u00e1s tarde.",
		fr: "Cela n\u2019a pas fonctionn\u00e9. R\u00e9essayez plus tard.",
	},
	"signup_text": {
		en: "Enter your email address:",
		de: "Gib deine E-Mail-Adresse ein:",
		es: "Introduce tu correo electr\u00f3nico:",
		fr: "Saisissez votre adresse e-mail :",
	},
	"button_text": {
		en: "Subscribe",
		de: "Anmelden",
		es: "Suscribirse",
		fr: "S\u2019inscrire",
	},
	"share_text": {
		en: "Thank you. Share this link with your friends:",
		de: "Danke. Teile diesen Link mit anderen:",
		es: "Gracias. Comparte este enlace con tus amigos:",
		fr: "Merci. Partagez ce lien avec vos amis :",
	},
	"influenced_count_text": {
		en: "Friends joined:",
		de: "Empfehlungen:",
		es: "Invitados:",
		fr: "Parrainages :",
	},
};
