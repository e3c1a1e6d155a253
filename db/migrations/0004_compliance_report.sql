-- One row a device and run, a partition a month (UTC). What was found stands in compliance_finding, so that scans stay
-- narrow. Whatever no month's partition takes goes to the default one: storing a report never fails for its time.
CREATE TABLE "compliance_report" (
	"id" text collate "C" NOT NULL,
	"batch_id" text collate "C",
	"tree_id" text collate "C" NOT NULL,
	"version" text collate "C" NOT NULL,
	"node_path" text collate "C" NOT NULL,
	"device" text collate "C" NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"status" text NOT NULL CHECK ("status" IN ('complete', 'error')),
	"error" text,
	"device_type" text NOT NULL,
	"spec_id" text,
	"inherited_spec_ids" text[] NOT NULL,
	"backup_id" text collate "C",
	"config_sha" text,
	"program_sha" text,
	"variables" jsonb NOT NULL,
	"parse_warnings" jsonb NOT NULL,
	"evaluated" integer NOT NULL,
	"errors" integer NOT NULL,
	"warnings" integer NOT NULL,
	"infos" integer NOT NULL,
	"passes" integer NOT NULL,
	"finding" text collate "C",
	-- the score under the default weights (server/engines/rules/score.ts), for trends
	"score_default" double precision NOT NULL GENERATED ALWAYS AS (
		CASE WHEN "errors" | "warnings" | "infos" | "passes" = 0 THEN 100::double precision
		ELSE 100::double precision * "passes" / (2::double precision * "errors" + "warnings" + 0.5::double precision * "infos" + "passes") END
	) STORED,
	PRIMARY KEY ("id", "ts")
) PARTITION BY RANGE ("ts");
--> statement-breakpoint
-- A device has one report a batch at each place: all reports of a batch have its start as their ts, so that this holds
-- across partitions.
CREATE UNIQUE INDEX "compliance_report_batch" ON "compliance_report" ("batch_id", "tree_id", "version", "node_path", "device", "ts");
--> statement-breakpoint
CREATE INDEX "compliance_report_device" ON "compliance_report" ("device", "ts", "id");
--> statement-breakpoint
CREATE INDEX "compliance_report_version" ON "compliance_report" ("tree_id", "version", "ts", "id") INCLUDE ("node_path");
--> statement-breakpoint
CREATE INDEX "compliance_report_ts" ON "compliance_report" ("ts", "id");
--> statement-breakpoint
CREATE INDEX "compliance_report_backup" ON "compliance_report" ("backup_id", "ts", "id") WHERE "backup_id" IS NOT NULL;
--> statement-breakpoint
CREATE TABLE "compliance_report_default" PARTITION OF "compliance_report" DEFAULT;
--> statement-breakpoint
-- Makes the partition of the month that a moment lies in. Attaching takes no lock that stops those who store or read other
-- months, and gives up soon when it would have to wait: the default partition serves as well. Returns whether it is there.
CREATE FUNCTION "make_compliance_report_partition"(moment timestamp with time zone) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
	month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
	partition text := 'compliance_report_' || to_char(month, 'YYYYMM');
BEGIN
	IF to_regclass(partition) IS NOT NULL THEN RETURN true; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE compliance_report INCLUDING ALL)', partition);
	EXECUTE format('ALTER TABLE compliance_report ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
		month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
	RETURN true;
EXCEPTION
	-- somebody else makes it, somebody reads for long, or the default partition holds rows of that month already
	WHEN duplicate_table OR unique_violation OR lock_not_available OR deadlock_detected OR check_violation THEN
		RETURN to_regclass(partition) IS NOT NULL;
END
$$;
--> statement-breakpoint
SELECT "make_compliance_report_partition"(now() + n * interval '1 month') FROM generate_series(0, 1) n;
--> statement-breakpoint
-- Each run writes every row anew: room beside it keeps the indexes out of it.
ALTER TABLE "compliance_latest" SET (fillfactor = 70);
