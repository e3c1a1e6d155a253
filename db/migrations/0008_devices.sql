CREATE TABLE "device_groups" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "device_templates" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "gateway_credentials" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"secrets" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "gateway_hosts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"kind" text NOT NULL,
	"secrets" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"host" text collate "C" GENERATED ALWAYS AS (doc ->> 'host') STORED,
	"device_type" text collate "C" GENERATED ALWAYS AS (doc ->> 'device_type') STORED,
	"ostype" text collate "C" GENERATED ALWAYS AS (doc ->> 'ostype') STORED,
	"credential" text collate "C" GENERATED ALWAYS AS (doc ->> 'credential') STORED
);
--> statement-breakpoint
CREATE UNIQUE INDEX "device_groups_name" ON "device_groups" USING btree ("name");--> statement-breakpoint
CREATE INDEX "device_groups_devices" ON "device_groups" USING gin ((doc -> 'devices'));--> statement-breakpoint
CREATE UNIQUE INDEX "device_templates_name" ON "device_templates" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_credentials_name" ON "gateway_credentials" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_hosts_name" ON "gateway_hosts" USING btree ("name","kind");--> statement-breakpoint
CREATE INDEX "gateway_hosts_credential" ON "gateway_hosts" USING btree ("credential") WHERE credential is not null;