-- Every process that remembers rights, profiles or applications hears when they change, whoever changed them.
CREATE FUNCTION tell_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access_changed', '');
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- A sign-in writes beside the account's document, and clearing away old sessions mostly finds none: neither may make
-- every process forget all that it knows of its callers.
CREATE FUNCTION tell_sessions_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ended) THEN PERFORM pg_notify('access_changed', ''); END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER accounts_access_changed AFTER INSERT OR DELETE OR UPDATE OF "doc" ON "accounts" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER credentials_access_changed AFTER INSERT OR DELETE OR UPDATE OF "hash", "generation" ON "credentials" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER groups_access_changed AFTER INSERT OR UPDATE OR DELETE ON "groups" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER roles_access_changed AFTER INSERT OR UPDATE OR DELETE ON "roles" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER profiles_access_changed AFTER INSERT OR UPDATE OR DELETE ON "profiles" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER applications_access_changed AFTER INSERT OR UPDATE OR DELETE ON "applications" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
--> statement-breakpoint
CREATE TRIGGER sessions_access_changed AFTER DELETE ON "sessions" REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_ended();
