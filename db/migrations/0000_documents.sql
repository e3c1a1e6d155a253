CREATE TABLE "accounts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"username" text collate "C" GENERATED ALWAYS AS (doc ->> 'username') STORED,
	"provenance" text collate "C" GENERATED ALWAYS AS (doc ->> 'provenance') STORED,
	"inactive" boolean GENERATED ALWAYS AS (doc -> 'inactive' = 'true'::jsonb) STORED,
	"is_service_account" boolean GENERATED ALWAYS AS (doc -> 'isServiceAccount' = 'true'::jsonb) STORED,
	"deleted" boolean GENERATED ALWAYS AS (doc -> 'deleted' = 'true'::jsonb) STORED,
	"last_login" timestamp with time zone,
	"preferences" jsonb
);
--> statement-breakpoint
CREATE TABLE "applications" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ran_for" double precision DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"time" text collate "C" GENERATED ALWAYS AS (doc ->> 'time') STORED,
	"account" text collate "C" GENERATED ALWAYS AS (doc ->> 'account') STORED,
	"operation" text collate "C" GENERATED ALWAYS AS (doc ->> 'operation') STORED
);
--> statement-breakpoint
CREATE TABLE "backups" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"date" text collate "C" GENERATED ALWAYS AS (rtrim(regexp_replace(rtrim(doc ->> 'date', 'Z'), '(\.[0-9]*?)0+$', '\1'), '.')) STORED,
	"sha256" text collate "C" GENERATED ALWAYS AS (doc ->> 'sha256') STORED
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"account_id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "golden_trees" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"device_type" text collate "C" GENERATED ALWAYS AS (doc ->> 'deviceType') STORED
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"provenance" text collate "C" GENERATED ALWAYS AS (doc ->> 'provenance') STORED
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "parsers" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"active" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "raw_configs" (
	"sha256" text PRIMARY KEY NOT NULL,
	"content" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "config_specs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version_id" text
);
--> statement-breakpoint
CREATE TABLE "throttle" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"expire" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tree_versions" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"tree_id" text NOT NULL,
	"version" text collate "C" GENERATED ALWAYS AS (doc ->> 'version') STORED
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "config_specs" ADD CONSTRAINT "config_specs_version_id_tree_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."tree_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree_versions" ADD CONSTRAINT "tree_versions_tree_id_golden_trees_id_fk" FOREIGN KEY ("tree_id") REFERENCES "public"."golden_trees"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_username" ON "accounts" USING btree ("username","provenance") WHERE deleted is not true;--> statement-breakpoint
CREATE INDEX "accounts_groups" ON "accounts" USING gin ((doc -> 'memberOf') jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "audit_time" ON "audit" USING btree ("time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "audit_account" ON "audit" USING btree ("account","time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "audit_operation" ON "audit" USING btree ("operation","time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "backups_name" ON "backups" USING btree ("name");--> statement-breakpoint
CREATE INDEX "backups_date" ON "backups" USING btree ("date" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "backups_sha256" ON "backups" USING btree ("sha256");--> statement-breakpoint
CREATE UNIQUE INDEX "golden_trees_name" ON "golden_trees" USING btree ("name");--> statement-breakpoint
CREATE INDEX "golden_trees_device_type" ON "golden_trees" USING btree ("device_type");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_name" ON "groups" USING btree ("name","provenance");--> statement-breakpoint
CREATE INDEX "groups_groups" ON "groups" USING gin ((doc -> 'memberOf') jsonb_path_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "parsers_name" ON "parsers" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "profiles_active" ON "profiles" USING btree ("active") WHERE active;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name" ON "roles" USING btree ("name");--> statement-breakpoint
CREATE INDEX "sessions_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_last_used" ON "sessions" USING btree ("last_used_at");--> statement-breakpoint
CREATE INDEX "config_specs_version" ON "config_specs" USING btree ("version_id");--> statement-breakpoint
CREATE INDEX "throttle_expire" ON "throttle" USING btree ("expire");--> statement-breakpoint
CREATE UNIQUE INDEX "tree_versions_version" ON "tree_versions" USING btree ("tree_id","version");