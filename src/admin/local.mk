noinst_LIBRARIES += %D%/libadmin.a
%C%_libadmin_a_SOURCES = \
	%D%/accounts.c \
	%D%/admin.c %D%/admin.h \
	%D%/answer.c \
	%D%/audit.c \
	%D%/call.c %D%/call.h \
	%D%/audited.c %D%/audited.h \
	%D%/caller.c %D%/caller.h \
	%D%/campaigns.c \
	%D%/commands.c %D%/commands.h \
	%D%/completion.c \
	%D%/definitions.c \
	%D%/deliveries.c \
	%D%/domains.c \
	%D%/embed.c \
	%D%/installation.c \
	%D%/jobs.c %D%/jobs.h \
	%D%/leads.c \
	%D%/lead_changes.c \
	%D%/mails.c \
	%D%/output.c %D%/output.h \
	%D%/progress.c %D%/progress.h \
	%D%/report.c %D%/report.h \
	%D%/secrets.c \
	%D%/setup.c \
	%D%/users.c \
	%D%/stats.c \
	%D%/timeline.c \
	%D%/values.c %D%/values.h \
	%D%/webhook_test.c \
	%D%/webhooks.c \
	%D%/data/edit.c \
	%D%/data/export.c \
	%D%/data/export_page.c %D%/data/export_page.h \
	%D%/data/export_part.c %D%/data/export_part.h \
	%D%/data/import.c \
	%D%/data/import_batch.c %D%/data/import_batch.h \
	%D%/data/import_answer.c %D%/data/import_answer.h \
	%D%/data/import_file.c %D%/data/import_file.h \
	%D%/data/import_heading.c %D%/data/import_heading.h \
	%D%/data/import_questions.c \
	%D%/data/import_survey.c %D%/data/import_survey.h \
	%D%/data/people.c \
	%D%/data/remove.c \
	%D%/data/repeat.c %D%/data/repeat.h \
	%D%/inbound/calls.c \
	%D%/inbound/webhooks.c \
	%D%/doctor/access_log.c \
	%D%/doctor/account.c \
	%D%/doctor/configuration.c \
	%D%/doctor/connection.c \
	%D%/doctor/database.c \
	%D%/doctor/doctor.c %D%/doctor/doctor.h \
	%D%/doctor/files.c \
	%D%/doctor/findings.c \
	%D%/doctor/programs.c \
	%D%/doctor/requests.c \
	%D%/doctor/secrets.c \
	%D%/doctor/space.c \
	%D%/doctor/web.c \
	%D%/doctor/web_server.c \
	%D%/texts/mail_templates.c \
	%D%/texts/page.c \
	%D%/texts/texts.c %D%/texts/texts.h
