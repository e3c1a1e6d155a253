CREATE TABLE "access_default" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- written by hand

CREATE TRIGGER access_default_access_changed AFTER INSERT OR UPDATE OR DELETE ON "access_default" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
