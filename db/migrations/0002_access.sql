DROP INDEX "accounts_username";--> statement-breakpoint
DROP INDEX "audit_account";--> statement-breakpoint
DROP INDEX "audit_operation";--> statement-breakpoint
ALTER TABLE "throttle" ALTER COLUMN "expire" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "deleted" boolean GENERATED ALWAYS AS (doc -> 'deleted' = 'true'::jsonb) STORED;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "last_login" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "preferences" jsonb;--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "time" text collate "C" GENERATED ALWAYS AS (doc ->> 'time') STORED;--> statement-breakpoint
CREATE INDEX "audit_time" ON "audit" USING btree ("time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "throttle_expire" ON "throttle" USING btree ("expire");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_username" ON "accounts" USING btree ("username","provenance") WHERE deleted is not true;--> statement-breakpoint
CREATE INDEX "audit_account" ON "audit" USING btree ("account","time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "audit_operation" ON "audit" USING btree ("operation","time" DESC NULLS LAST,"id");--> statement-breakpoint
-- A sign-in writes beside the account's document, and clearing away old sessions mostly finds none: neither may make
-- every process forget all that it knows of its callers.
CREATE FUNCTION tell_sessions_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ended) THEN PERFORM pg_notify('access_changed', ''); END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER sessions_access_changed ON "sessions";
--> statement-breakpoint
CREATE TRIGGER sessions_access_changed AFTER DELETE ON "sessions" REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_ended();
--> statement-breakpoint
DROP TRIGGER accounts_access_changed ON "accounts";
--> statement-breakpoint
CREATE TRIGGER accounts_access_changed AFTER INSERT OR DELETE OR UPDATE OF "doc" ON "accounts" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
DROP TRIGGER credentials_access_changed ON "credentials";
--> statement-breakpoint
CREATE TRIGGER credentials_access_changed AFTER INSERT OR DELETE OR UPDATE OF "hash", "generation" ON "credentials" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
