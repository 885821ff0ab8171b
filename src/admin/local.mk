noinst_LIBRARIES += %D%/libadmin.a
%C%_libadmin_a_SOURCES = \
	%D%/accounts/account_operations.c \
	%D%/accounts/audit_operations.c \
	%D%/accounts/user_operations.c \
	%D%/campaigns/campaign_operations.c %D%/campaigns/campaign_operations.h \
	%D%/campaigns/definition_operations.c \
	%D%/campaigns/embed_operation.c \
	%D%/campaigns/stats_operations.c \
	%D%/data/export_operation.c \
	%D%/data/import_batch.c %D%/data/import_batch.h \
	%D%/data/import_file.c %D%/data/import_file.h \
	%D%/data/import_heading.c %D%/data/import_heading.h \
	%D%/data/import_operation.c %D%/data/import_operation.h \
	%D%/data/import_survey.c %D%/data/import_survey.h \
	%D%/data/person_operations.c \
	%D%/data/removal_operations.c \
	%D%/data/repeat.c %D%/data/repeat.h \
	%D%/doctor/account.c %D%/doctor/account.h \
	%D%/doctor/database.c %D%/doctor/database.h \
	%D%/doctor/doctor.c \
	%D%/doctor/files.c %D%/doctor/files.h \
	%D%/doctor/findings.c %D%/doctor/findings.h \
	%D%/doctor/programs.c %D%/doctor/programs.h \
	%D%/doctor/requests.c %D%/doctor/requests.h \
	%D%/doctor/web.c %D%/doctor/web.h \
	%D%/host/domains_operation.c \
	%D%/host/installation_operations.c \
	%D%/host/setup_operation.c \
	%D%/inbound/call_operations.c \
	%D%/inbound/inbound_operations.c \
	%D%/jobs/job_operations.c %D%/jobs/job_operations.h \
	%D%/leads/change_operations.c %D%/leads/change_operations.h \
	%D%/leads/edit_operation.c \
	%D%/leads/lead_operations.c %D%/leads/lead_operations.h \
	%D%/leads/list_operation.c %D%/leads/list_operation.h \
	%D%/leads/named_lead.c %D%/leads/named_lead.h \
	%D%/leads/timeline_operation.c \
	%D%/mails/mail_operations.c %D%/mails/mail_operations.h \
	%D%/mails/own_texts.c %D%/mails/own_texts.h \
	%D%/mails/page_operations.c \
	%D%/mails/template_operations.c \
	%D%/operations.c %D%/operations.h \
	%D%/webhooks/delivery_operations.c %D%/webhooks/delivery_operations.h \
	%D%/webhooks/webhook_operations.c
