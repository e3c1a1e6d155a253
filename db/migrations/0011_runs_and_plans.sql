CREATE TABLE "compliance_plans" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "compliance_plan_instances" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"plan_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'planId') STORED,
	"job_status" text collate "C" GENERATED ALWAYS AS (doc ->> 'jobStatus') STORED,
	"batch_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'batchId') STORED,
	"started" text collate "C" GENERATED ALWAYS AS (doc ->> 'started') STORED
);
--> statement-breakpoint
DROP INDEX "backups_name";--> statement-breakpoint
ALTER TABLE "compliance_batch" ADD COLUMN "chunks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "compliance_plans_name" ON "compliance_plans" USING btree ("name");--> statement-breakpoint
CREATE INDEX "compliance_plans_nodes" ON "compliance_plans" USING gin ((doc -> 'nodes') jsonb_path_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "compliance_plan_instances_running" ON "compliance_plan_instances" USING btree ("plan_id") WHERE job_status = 'running';--> statement-breakpoint
CREATE INDEX "compliance_plan_instances_plan" ON "compliance_plan_instances" USING btree ("plan_id","started" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "compliance_plan_instances_started" ON "compliance_plan_instances" USING btree ("started" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "compliance_plan_instances_batch" ON "compliance_plan_instances" USING btree ("batch_id");--> statement-breakpoint
CREATE INDEX "backups_newest" ON "backups" USING btree ("name","date" DESC NULLS LAST,"id" DESC NULLS LAST);