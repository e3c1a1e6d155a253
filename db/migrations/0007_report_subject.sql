-- A run over backups may check several of one device: each has its report.
ALTER TABLE "compliance_report" ADD COLUMN "subject" text collate "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
DROP INDEX "compliance_report_batch";
--> statement-breakpoint
CREATE UNIQUE INDEX "compliance_report_batch" ON "compliance_report" ("batch_id", "tree_id", "version", "node_path", "device", "subject", "ts");
