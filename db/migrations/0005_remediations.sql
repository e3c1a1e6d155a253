CREATE TABLE "remediations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"device_name" text collate "C" GENERATED ALWAYS AS (doc ->> 'deviceName') STORED,
	"tree_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'treeId') STORED,
	"report_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'reportId') STORED,
	"status" text collate "C" GENERATED ALWAYS AS (doc ->> 'status') STORED,
	"created" text collate "C" GENERATED ALWAYS AS (doc ->> 'created') STORED,
	"expires" text collate "C" GENERATED ALWAYS AS (doc ->> 'expires') STORED,
	"basis" text collate "C" GENERATED ALWAYS AS (doc ->> 'basis') STORED,
	"base_sha256" text collate "C" GENERATED ALWAYS AS (doc ->> 'baseSha256') STORED
);
--> statement-breakpoint
CREATE INDEX "remediations_device" ON "remediations" USING btree ("device_name","created" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "remediations_tree" ON "remediations" USING btree ("tree_id","created" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "remediations_report" ON "remediations" USING btree ("report_id");--> statement-breakpoint
CREATE INDEX "remediations_created" ON "remediations" USING btree ("created" DESC NULLS LAST,"id");