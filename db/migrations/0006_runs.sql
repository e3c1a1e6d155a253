DROP INDEX "backups_name";--> statement-breakpoint
ALTER TABLE "compliance_batch" ADD COLUMN "chunks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "backups_newest" ON "backups" USING btree ("name","date" DESC NULLS LAST,"id" DESC NULLS LAST);