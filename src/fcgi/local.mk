noinst_LIBRARIES += %D%/libfcgi.a
%C%_libfcgi_a_SOURCES = \
	%D%/application.h \
	%D%/exchange.c %D%/exchange.h \
	%D%/listener.c %D%/listener.h \
	%D%/scoreboard.c %D%/scoreboard.h \
	%D%/server.c %D%/server.h \
	%D%/signals.c %D%/signals.h \
	%D%/slow_answers.c %D%/slow_answers.h \
	%D%/worker.c %D%/worker.h
