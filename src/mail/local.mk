noinst_LIBRARIES += %D%/libmail.a
%C%_libmail_a_SOURCES = \
	%D%/address.c %D%/address.h \
	%D%/message.c %D%/message.h \
	%D%/mime.c %D%/mime.h
# What links mails: these, and the rules.
mail_libs = src/mail/libmail.a src/text/libtext.a $(engine_libs)
