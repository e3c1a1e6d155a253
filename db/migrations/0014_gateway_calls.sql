CREATE TABLE "gateway_calls" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started" text collate "C" GENERATED ALWAYS AS (doc ->> 'started') STORED,
	"host" text collate "C" GENERATED ALWAYS AS (doc ->> 'host') STORED,
	"user" text collate "C" GENERATED ALWAYS AS (doc ->> 'user') STORED
);
--> statement-breakpoint
CREATE INDEX "gateway_calls_started" ON "gateway_calls" USING btree ("started" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "gateway_calls_host" ON "gateway_calls" USING btree ("host","started" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "gateway_calls_user" ON "gateway_calls" USING btree ("user","started" DESC NULLS LAST,"id");