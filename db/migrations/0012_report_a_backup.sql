-- A run over backups may check several of one device: each has its report.
DROP INDEX "compliance_report_batch";
--> statement-breakpoint
CREATE UNIQUE INDEX "compliance_report_batch" ON "compliance_report" ("batch_id", "tree_id", "version", "node_path", "device", (coalesce("backup_id", '')), "ts");
