CREATE TABLE "adapters" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ran_for" double precision DEFAULT 0 NOT NULL,
	"online" boolean,
	"detail" text,
	"probed_at" timestamp with time zone,
	"changelog" jsonb DEFAULT '[]'::jsonb NOT NULL
);
