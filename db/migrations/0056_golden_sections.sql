ALTER TABLE "compliance_latest" ALTER COLUMN "finding" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "compliance_latest" ADD COLUMN "status" text DEFAULT 'complete' NOT NULL;--> statement-breakpoint
ALTER TABLE "compliance_latest" ADD COLUMN "device_type" text;--> statement-breakpoint
CREATE INDEX "config_specs_sections" ON "config_specs" USING btree ("version_id") WHERE jsonb_typeof(doc -> 'sections') = 'object';--> statement-breakpoint
-- written by hand
ALTER TABLE "compliance_report" DROP CONSTRAINT "compliance_report_status_check";--> statement-breakpoint
ALTER TABLE "compliance_report" ADD CONSTRAINT "compliance_report_status_check"
  CHECK ("status" IN ('complete', 'error', 'notApplicable')) NOT VALID;
