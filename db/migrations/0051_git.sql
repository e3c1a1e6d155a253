CREATE TABLE "git_documents" (
	"remote_id" text collate "C" NOT NULL,
	"path" text collate "C" NOT NULL,
	"local" text NOT NULL,
	"remote" text NOT NULL,
	CONSTRAINT "git_documents_remote_id_path_pk" PRIMARY KEY("remote_id","path")
);
--> statement-breakpoint
CREATE TABLE "git_remotes" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"secrets" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"failing_since" timestamp with time zone,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "git_runs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"remote_id" text collate "C" NOT NULL,
	"action" text NOT NULL,
	"branch" text NOT NULL,
	"dry_run" boolean NOT NULL,
	"overwrite" jsonb NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"error" text,
	"result" jsonb,
	"started_by" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "git_documents" ADD CONSTRAINT "git_documents_remote_id_git_remotes_id_fk" FOREIGN KEY ("remote_id") REFERENCES "public"."git_remotes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_runs" ADD CONSTRAINT "git_runs_remote_id_git_remotes_id_fk" FOREIGN KEY ("remote_id") REFERENCES "public"."git_remotes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "git_remotes_name" ON "git_remotes" USING btree ("name");--> statement-breakpoint
CREATE INDEX "git_runs_remote" ON "git_runs" USING btree ("remote_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "git_runs_running" ON "git_runs" USING btree ("remote_id") WHERE status = 'running';