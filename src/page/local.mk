noinst_LIBRARIES += %D%/libpage.a
%C%_libpage_a_SOURCES = \
	%D%/page_assets.h \
	%D%/failures.c %D%/failures.h \
	%D%/page_form.c %D%/page_form.h \
	%D%/page_fields.c %D%/page_fields.h \
	%D%/page_frame.c %D%/page_frame.h \
	%D%/html.c %D%/html.h \
	%D%/lead.c %D%/lead.h \
	%D%/looks.c %D%/looks.h \
	%D%/message_page.c %D%/message_page.h \
	%D%/page_preview.c %D%/page_preview.h \
	%D%/status.c %D%/status.h
nodist_%C%_libpage_a_SOURCES = %D%/style_text.c %D%/script_text.c %D%/embed_text.c
CLEANFILES += %D%/style_text.c %D%/script_text.c %D%/embed_text.c
EXTRA_DIST += src/page/style.css src/page/page.js src/page/embed.js src/page/embed_forms.js src/page/embed_words.js \
	src/page/link.js src/page/native.js src/page/solver.js scripts/embed-script

%D%/style_text.c: src/page/style.css scripts/embed-script
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(SHELL) scripts/embed-script src/page/style.css page/page_assets.h page_style) >$@.tmp && mv $@.tmp $@
%D%/script_text.c: src/page/page.js src/page/link.js src/page/native.js src/page/solver.js scripts/embed-script
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(SHELL) scripts/embed-script src/page/page.js page/page_assets.h page_script) >$@.tmp && mv $@.tmp $@
%D%/embed_text.c: src/page/embed.js src/page/embed_forms.js src/page/embed_words.js src/page/link.js src/page/native.js \
		src/page/solver.js scripts/embed-script
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(SHELL) scripts/embed-script src/page/embed.js page/page_assets.h embed_script) >$@.tmp && mv $@.tmp $@
