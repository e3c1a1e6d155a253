CREATE TABLE "analytic_templates" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "asset_references" (
	"source_kind" text NOT NULL,
	"source_id" text collate "C" NOT NULL,
	"target_kind" text,
	"target_name" text collate "C",
	"target_id" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "automations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,read}') STORED,
	"write_groups" jsonb GENERATED ALWAYS AS (doc #> '{gbac,write}') STORED,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"component_id" text collate "C" GENERATED ALWAYS AS (doc ->> 'componentId') STORED
);
--> statement-breakpoint
CREATE TABLE "command_templates" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "forms" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "prebuilts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"package" jsonb NOT NULL,
	"owned" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"iid" integer GENERATED ALWAYS AS ((doc ->> 'iid')::integer) STORED,
	"last_updated" text collate "C" GENERATED ALWAYS AS (doc ->> 'lastUpdated') STORED,
	"readers" jsonb GENERATED ALWAYS AS (doc #> '{accessControl,read}') STORED
);
--> statement-breakpoint
CREATE TABLE "tag_references" (
	"tag_id" text NOT NULL,
	"ref_id" text collate "C" NOT NULL,
	CONSTRAINT "tag_references_ref_id_tag_id_pk" PRIMARY KEY("ref_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"template_group" text collate "C" GENERATED ALWAYS AS (doc ->> 'group') STORED,
	"type" text collate "C" GENERATED ALWAYS AS (doc ->> 'type') STORED
);
--> statement-breakpoint
CREATE TABLE "transformations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED
);
--> statement-breakpoint
CREATE TABLE "triggers" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"type" text collate "C" GENERATED ALWAYS AS (doc ->> 'type') STORED,
	"enabled" boolean GENERATED ALWAYS AS (doc -> 'enabled' = 'true'::jsonb) STORED,
	"action_id" text NOT NULL,
	"route_name" text collate "C" GENERATED ALWAYS AS (doc ->> 'routeName') STORED,
	"source" text collate "C" GENERATED ALWAYS AS (doc ->> 'source') STORED,
	"topic" text collate "C" GENERATED ALWAYS AS (doc ->> 'topic') STORED,
	"next_run_at" bigint GENERATED ALWAYS AS ((doc ->> 'nextRunAt')::double precision::bigint) STORED
);
--> statement-breakpoint
CREATE TABLE "workflows" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"project_id" text,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"last_updated" text collate "C" GENERATED ALWAYS AS (doc ->> 'last_updated') STORED
);
--> statement-breakpoint
ALTER TABLE "analytic_templates" ADD CONSTRAINT "analytic_templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_templates" ADD CONSTRAINT "command_templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forms" ADD CONSTRAINT "forms_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_references" ADD CONSTRAINT "tag_references_tag_id_tags_id_fk" FOREIGN KEY ("tag_id") REFERENCES "public"."tags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transformations" ADD CONSTRAINT "transformations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_action_id_automations_id_fk" FOREIGN KEY ("action_id") REFERENCES "public"."automations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "analytic_templates_project" ON "analytic_templates" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "asset_references_source" ON "asset_references" USING btree ("source_id","source_kind");--> statement-breakpoint
CREATE INDEX "asset_references_target" ON "asset_references" USING btree ("target_id","target_kind");--> statement-breakpoint
CREATE INDEX "asset_references_name" ON "asset_references" USING btree ("target_name");--> statement-breakpoint
CREATE UNIQUE INDEX "automations_name" ON "automations" USING btree ("name");--> statement-breakpoint
CREATE INDEX "automations_component" ON "automations" USING btree ("component_id");--> statement-breakpoint
CREATE INDEX "command_templates_project" ON "command_templates" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "forms_name" ON "forms" USING btree ("name");--> statement-breakpoint
CREATE INDEX "forms_project" ON "forms" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "prebuilts_name" ON "prebuilts" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_name" ON "projects" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_iid" ON "projects" USING btree ("iid");--> statement-breakpoint
CREATE INDEX "projects_readers" ON "projects" USING gin ("readers");--> statement-breakpoint
CREATE INDEX "tag_references_tag" ON "tag_references" USING btree ("tag_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name" ON "tags" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "templates_name" ON "templates" USING btree ("name","template_group");--> statement-breakpoint
CREATE INDEX "templates_project" ON "templates" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "templates_group" ON "templates" USING btree ("template_group");--> statement-breakpoint
CREATE UNIQUE INDEX "transformations_name" ON "transformations" USING btree ("name");--> statement-breakpoint
CREATE INDEX "transformations_project" ON "transformations" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "triggers_action" ON "triggers" USING btree ("action_id");--> statement-breakpoint
CREATE UNIQUE INDEX "triggers_route" ON "triggers" USING btree ("route_name") WHERE type = 'endpoint';--> statement-breakpoint
CREATE INDEX "triggers_event" ON "triggers" USING btree ("source","topic") WHERE type = 'eventSystem' and enabled;--> statement-breakpoint
CREATE INDEX "triggers_due" ON "triggers" USING btree ("next_run_at") WHERE type = 'schedule' and enabled;--> statement-breakpoint
CREATE UNIQUE INDEX "workflows_name" ON "workflows" USING btree ("name");--> statement-breakpoint
CREATE INDEX "workflows_project" ON "workflows" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "workflows_last_updated" ON "workflows" USING btree ("last_updated" DESC NULLS LAST,"id");