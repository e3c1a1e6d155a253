ALTER TABLE "compliance_latest" ALTER COLUMN "finding" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "git_remotes" ADD COLUMN "next_run_at" bigint GENERATED ALWAYS AS ((doc ->> 'nextRunAt')::double precision::bigint) STORED;--> statement-breakpoint
ALTER TABLE "compliance_latest" ADD COLUMN "status" text DEFAULT 'complete' NOT NULL;--> statement-breakpoint
ALTER TABLE "compliance_latest" ADD COLUMN "device_type" text;--> statement-breakpoint
CREATE INDEX "config_specs_sections" ON "config_specs" USING btree ("version_id") WHERE jsonb_typeof(doc -> 'sections') = 'object';--> statement-breakpoint
CREATE INDEX "git_remotes_due" ON "git_remotes" USING btree ("next_run_at");
--> statement-breakpoint
-- written by hand
ALTER TABLE "compliance_report" DROP CONSTRAINT "compliance_report_status_check";--> statement-breakpoint
ALTER TABLE "compliance_report" ADD CONSTRAINT "compliance_report_status_check"
  CHECK ("status" IN ('complete', 'error', 'notApplicable')) NOT VALID;
--> statement-breakpoint

-- Searches in all configurations (decision 0135). Without the extension, which a database may lack or its owner may not
-- create, texts are read instead.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX "raw_configs_trigrams" ON "raw_configs" USING gin ("content" gin_trgm_ops) WHERE octet_length("content") <= 1048576;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
  RAISE NOTICE 'pg_trgm is not available: searches in configurations read the texts';
END $$;
--> statement-breakpoint
CREATE INDEX "raw_configs_large" ON "raw_configs" USING btree ("sha256") WHERE octet_length("content") > 1048576;
