CREATE TABLE "document_counts" (
	"table_name" text NOT NULL,
	"scope" text,
	"n" bigint NOT NULL,
	"mark" uuid DEFAULT gen_random_uuid() NOT NULL
);
--> statement-breakpoint
DROP INDEX "workflows_last_updated";--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "type" text collate "C" GENERATED ALWAYS AS (doc ->> 'type') STORED;--> statement-breakpoint
CREATE INDEX "document_counts_table" ON "document_counts" USING btree ("table_name");--> statement-breakpoint
CREATE INDEX "workflows_by_name" ON "workflows" USING btree ("name","id","project_id");--> statement-breakpoint
CREATE INDEX "workflows_by_type" ON "workflows" USING btree ("type","name","id","project_id");--> statement-breakpoint
CREATE INDEX "workflows_by_last_updated" ON "workflows" USING btree ("last_updated" DESC NULLS LAST,"id","project_id");--> statement-breakpoint
CREATE INDEX "workflows_by_start" ON "workflows" USING btree (lower(name) text_pattern_ops,"name","id","project_id");