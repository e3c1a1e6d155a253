CREATE TABLE "held_work" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"worker" text NOT NULL,
	"input" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "worker_switches" (
	"name" text PRIMARY KEY NOT NULL,
	"active" boolean NOT NULL,
	"changed_at" bigint
);
--> statement-breakpoint
ALTER TABLE "held_work" ADD CONSTRAINT "held_work_worker_worker_switches_name_fk" FOREIGN KEY ("worker") REFERENCES "public"."worker_switches"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "held_work_by_worker" ON "held_work" USING btree ("worker");
--> statement-breakpoint
-- written by hand
INSERT INTO "worker_switches" ("name", "active") VALUES ('job', true), ('task', true);
