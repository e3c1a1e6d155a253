CREATE TABLE "compliance_batch" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"errors" integer DEFAULT 0 NOT NULL,
	"started" timestamp with time zone NOT NULL,
	"finished" timestamp with time zone,
	"request" jsonb NOT NULL,
	"tree_ids" text[] DEFAULT '{}' NOT NULL,
	"cancel" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "compliance_finding" (
	"sha256" text collate "C" PRIMARY KEY NOT NULL,
	"issues" jsonb NOT NULL,
	"specs" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "compliance_latest" (
	"tree_id" text collate "C" NOT NULL,
	"version" text collate "C" NOT NULL,
	"node_path" text collate "C" NOT NULL,
	"device" text collate "C" NOT NULL,
	"report_id" text collate "C" NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"errors" integer NOT NULL,
	"warnings" integer NOT NULL,
	"infos" integer NOT NULL,
	"passes" integer NOT NULL,
	"finding" text collate "C" NOT NULL,
	CONSTRAINT "compliance_latest_tree_id_version_node_path_device_pk" PRIMARY KEY("tree_id","version","node_path","device")
);
