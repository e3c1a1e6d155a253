ALTER TABLE "secret_providers" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "secret_providers" ADD COLUMN "last_error" text;