DROP INDEX "backups_date";--> statement-breakpoint
ALTER TABLE "backups" drop column "date";--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "date" text collate "C" GENERATED ALWAYS AS (rtrim(regexp_replace(rtrim(doc ->> 'date', 'Z'), '(\.[0-9]*?)0+$', '\1'), '.')) STORED;--> statement-breakpoint
CREATE INDEX "backups_date" ON "backups" USING btree ("date" DESC NULLS LAST,"id");