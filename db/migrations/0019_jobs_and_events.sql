CREATE TABLE "event_cursors" (
	"name" text PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_outbox" (
	"n" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_outbox_n_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"events" jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"source" text NOT NULL,
	"topic" text NOT NULL,
	"subjects" text[] NOT NULL,
	"kind" text NOT NULL,
	"documents" text[] DEFAULT '{}' NOT NULL,
	"readers" jsonb,
	"time" timestamp with time zone NOT NULL,
	"payload" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"name" text collate "C",
	"status" text collate "C",
	"type" text collate "C",
	"groups" jsonb,
	"project_id" text collate "C",
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_fans" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"task" text NOT NULL,
	"iteration" text NOT NULL,
	"attempt" integer NOT NULL,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"loops" boolean NOT NULL,
	"one_by_one" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_plans" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"drawing" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_tasks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"task" text NOT NULL,
	"kept" jsonb,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"type" text collate "C" GENERATED ALWAYS AS (doc ->> 'type') STORED,
	"status" text collate "C" GENERATED ALWAYS AS (doc ->> 'status') STORED,
	"start_time" bigint GENERATED ALWAYS AS ((doc #>> '{metrics,start_time}')::double precision::bigint) STORED
);
--> statement-breakpoint
CREATE TABLE "job_values" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"state" jsonb NOT NULL,
	"plan_id" text NOT NULL,
	"project_id" text collate "C",
	"fan_id" text collate "C",
	"element" integer,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"status" text collate "C" GENERATED ALWAYS AS (doc ->> 'status') STORED,
	"type" text collate "C" GENERATED ALWAYS AS (doc ->> 'type') STORED,
	"created_by" text collate "C" GENERATED ALWAYS AS (doc ->> 'created_by') STORED,
	"last_updated" text collate "C" GENERATED ALWAYS AS (doc ->> 'last_updated') STORED,
	"start_time" bigint GENERATED ALWAYS AS ((doc #>> '{metrics,start_time}')::double precision::bigint) STORED,
	"end_time" bigint GENERATED ALWAYS AS ((doc #>> '{metrics,end_time}')::double precision::bigint) STORED,
	"parent_job" text collate "C" GENERATED ALWAYS AS (doc #>> '{parent,job}') STORED,
	"groups" jsonb GENERATED ALWAYS AS (doc -> 'groups') STORED
);
--> statement-breakpoint
CREATE TABLE "trigger_firings" (
	"trigger_id" text NOT NULL,
	"dedup_id" text NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "trigger_firings_trigger_id_dedup_id_pk" PRIMARY KEY("trigger_id","dedup_id")
);
--> statement-breakpoint
ALTER TABLE "job_fans" ADD CONSTRAINT "job_fans_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_values" ADD CONSTRAINT "job_values_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_plan_id_job_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."job_plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trigger_firings" ADD CONSTRAINT "trigger_firings_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "public"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_subjects" ON "events" USING gin ("subjects");--> statement-breakpoint
CREATE INDEX "events_time" ON "events" USING btree ("time");--> statement-breakpoint
CREATE INDEX "job_counts_name" ON "job_counts" USING btree ("name","status");--> statement-breakpoint
CREATE INDEX "job_fans_job" ON "job_fans" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "job_tasks_job" ON "job_tasks" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "job_tasks_by_start" ON "job_tasks" USING btree ("start_time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "job_tasks_by_status" ON "job_tasks" USING btree ("status","type","start_time","id");--> statement-breakpoint
CREATE INDEX "job_values_job" ON "job_values" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "jobs_by_start" ON "jobs" USING btree ("start_time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "jobs_by_status" ON "jobs" USING btree ("status","start_time","id");--> statement-breakpoint
CREATE INDEX "jobs_by_name" ON "jobs" USING btree ("name","start_time","id");--> statement-breakpoint
CREATE INDEX "jobs_by_name_alone" ON "jobs" USING btree ("name","id");--> statement-breakpoint
CREATE INDEX "jobs_by_creator" ON "jobs" USING btree ("created_by","start_time","id");--> statement-breakpoint
CREATE INDEX "jobs_by_change" ON "jobs" USING btree ("last_updated" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "jobs_by_end" ON "jobs" USING btree ("end_time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "jobs_by_parent" ON "jobs" USING btree ("parent_job") WHERE parent_job is not null;--> statement-breakpoint
CREATE INDEX "jobs_by_fan" ON "jobs" USING btree ("fan_id","element") WHERE fan_id is not null;--> statement-breakpoint
CREATE INDEX "trigger_firings_at" ON "trigger_firings" USING btree ("at");