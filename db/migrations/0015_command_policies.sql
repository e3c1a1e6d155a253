CREATE TABLE "command_policies" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE UNIQUE INDEX "command_policies_name" ON "command_policies" USING btree ("name");