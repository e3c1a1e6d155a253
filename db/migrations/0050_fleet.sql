-- written by hand: the generated column of compliance_finding needs it
CREATE FUNCTION compliance_finding_rules(issues jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT (issue ->> 'specId') || ' ' || coalesce(issue -> 'spec' ->> 'id', '')), '{}')
  FROM jsonb_array_elements(issues) AS each (issue)
$$;
--> statement-breakpoint
CREATE TABLE "backup_policies" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "backup_run_devices" (
	"run_id" text collate "C" NOT NULL,
	"device" text collate "C" NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp with time zone,
	"backup_id" text collate "C",
	"reason" text,
	CONSTRAINT "backup_run_devices_run_id_device_pk" PRIMARY KEY("run_id","device")
);
--> statement-breakpoint
CREATE TABLE "backup_runs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"account" text collate "C" NOT NULL,
	"roles" jsonb,
	"schedule_id" text collate "C",
	"request" jsonb NOT NULL,
	"pass" integer DEFAULT 0 NOT NULL,
	"next_attempt" timestamp with time zone,
	"started" timestamp with time zone NOT NULL,
	"finished" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "backup_schedules" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"next_run_at" bigint GENERATED ALWAYS AS ((doc ->> 'nextRunAt')::double precision::bigint) STORED
);
--> statement-breakpoint
CREATE TABLE "campaign_devices" (
	"campaign_id" text collate "C" NOT NULL,
	"device" text collate "C" NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"report_id" text collate "C" NOT NULL,
	"remediation_id" text collate "C",
	"config_sha256" text,
	"wave" integer,
	"reason" text DEFAULT '' NOT NULL,
	CONSTRAINT "campaign_devices_campaign_id_device_pk" PRIMARY KEY("campaign_id","device")
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"tree_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'treeId') STORED,
	"created" text collate "C" GENERATED ALWAYS AS (doc ->> 'created') STORED
);
--> statement-breakpoint
ALTER TABLE "compliance_finding" ADD COLUMN "rules" text[] GENERATED ALWAYS AS (compliance_finding_rules(issues)) STORED;--> statement-breakpoint
ALTER TABLE "backup_run_devices" ADD CONSTRAINT "backup_run_devices_run_id_backup_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."backup_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_devices" ADD CONSTRAINT "campaign_devices_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backup_run_devices_status" ON "backup_run_devices" USING btree ("run_id","status","device");--> statement-breakpoint
CREATE INDEX "backup_runs_started" ON "backup_runs" USING btree ("started" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "backup_runs_running" ON "backup_runs" USING btree ("schedule_id") WHERE status = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "backup_schedules_name" ON "backup_schedules" USING btree ("name");--> statement-breakpoint
CREATE INDEX "backup_schedules_due" ON "backup_schedules" USING btree ("next_run_at");--> statement-breakpoint
CREATE INDEX "campaign_devices_status" ON "campaign_devices" USING btree ("campaign_id","status","device");--> statement-breakpoint
CREATE INDEX "campaigns_created" ON "campaigns" USING btree ("created" DESC NULLS LAST,"id");