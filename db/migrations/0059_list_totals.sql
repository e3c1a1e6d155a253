CREATE TABLE "list_totals" (
	"key" text PRIMARY KEY NOT NULL,
	"seen" text NOT NULL,
	"total" text NOT NULL,
	"stored" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "accounts_named" ON "accounts" USING btree ("username");
--> statement-breakpoint
-- written by hand

SELECT count_documents('device_groups', 'read_groups'), count_documents('accounts', NULL), count_documents('gateway_hosts', 'read_groups');
--> statement-breakpoint
SELECT count_documents_by_kind('gateway_hosts', 'read_groups', 'kind');
--> statement-breakpoint
-- Filters of device groups are as fast as those of other documents with names (decision 0060).
SELECT log_document_edits('device_groups');
--> statement-breakpoint
CREATE INDEX "device_groups_name_bigrams" ON "device_groups" USING gin (bigrams("name"));
