CREATE TABLE "retention_runs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"status" text collate "C" GENERATED ALWAYS AS (doc ->> 'status') STORED,
	"started" text collate "C" GENERATED ALWAYS AS (doc ->> 'started') STORED
);
--> statement-breakpoint
CREATE TABLE "retention_settings" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "retention_runs_started" ON "retention_runs" USING btree ("started" DESC NULLS LAST,"id");