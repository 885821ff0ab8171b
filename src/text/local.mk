# The first one is the default language.
text_languages = %D%/languages/en.txt %D%/languages/de.txt %D%/languages/es.txt %D%/languages/fr.txt

noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_SOURCES = \
	%D%/catalogue.h \
	%D%/text.c %D%/text.h
nodist_%C%_libtext_a_SOURCES = %D%/catalogue.c %D%/keys.h
BUILT_SOURCES += %D%/keys.h
CLEANFILES += %D%/catalogue.c %D%/keys.h
EXTRA_DIST += $(text_languages) scripts/texts

text_script = AWK='$(AWK)' $(SHELL) scripts/texts

%D%/keys.h: $(text_languages) scripts/texts
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(text_script) header $(text_languages)) >$@.tmp && mv $@.tmp $@
%D%/catalogue.c: $(text_languages) scripts/texts
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(text_script) source $(text_languages)) >$@.tmp && mv $@.tmp $@
