noinst_LIBRARIES += %D%/libwebhook.a
%C%_libwebhook_a_SOURCES = \
	%D%/address_rules.c %D%/address_rules.h \
	%D%/delivery.c %D%/delivery.h \
	%D%/document.c %D%/document.h \
	%D%/form.c %D%/form.h \
	%D%/health.c %D%/health.h \
	%D%/latency.c %D%/latency.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/rate.c %D%/rate.h \
	%D%/retry.c %D%/retry.h \
	%D%/signature.c %D%/signature.h \
	%D%/webhook_url.c %D%/webhook_url.h
