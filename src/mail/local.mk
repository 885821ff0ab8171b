noinst_LIBRARIES += %D%/libmail.a
%C%_libmail_a_SOURCES = \
	%D%/mailbox.c %D%/mailbox.h \
	%D%/html_place.c %D%/html_place.h \
	%D%/kinds.c %D%/kinds.h \
	%D%/layout.c %D%/layout.h \
	%D%/mime_message.c %D%/mime_message.h \
	%D%/mime.c %D%/mime.h \
	%D%/names.c %D%/names.h \
	%D%/template.c %D%/template.h
# What programs that make mails link: these libraries, and the rules.
mail_libs = src/mail/libmail.a src/text/libtext.a $(engine_libs)
