ALTER TABLE "inventory_runs" ADD COLUMN "published" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "retention_runs" ADD COLUMN "published" timestamp with time zone;--> statement-breakpoint
-- written by hand: runs of inventory sources and of retention publish their progress at most once a second, as those over many
-- devices do (docs/decisions/0102); their beginning and their end are always published.
CREATE FUNCTION note_run_published() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.published := clock_timestamp();
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE FUNCTION is_progress_due(published timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT published IS NULL OR published < clock_timestamp() - interval '1 second'
$$;
--> statement-breakpoint
CREATE TRIGGER inventory_runs_noted_in BEFORE INSERT ON "inventory_runs" FOR EACH ROW EXECUTE FUNCTION note_run_published();
--> statement-breakpoint
CREATE TRIGGER inventory_runs_noted BEFORE UPDATE ON "inventory_runs" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR (OLD.doc IS DISTINCT FROM NEW.doc AND is_progress_due(OLD.published)))
  EXECUTE FUNCTION note_run_published();
--> statement-breakpoint
DROP TRIGGER inventory_runs_published ON "inventory_runs";
--> statement-breakpoint
CREATE TRIGGER inventory_runs_published AFTER UPDATE ON "inventory_runs" FOR EACH ROW
  WHEN (OLD.published IS DISTINCT FROM NEW.published) EXECUTE FUNCTION publish_inventory_run();
--> statement-breakpoint
CREATE TRIGGER retention_runs_noted_in BEFORE INSERT ON "retention_runs" FOR EACH ROW EXECUTE FUNCTION note_run_published();
--> statement-breakpoint
CREATE TRIGGER retention_runs_noted BEFORE UPDATE ON "retention_runs" FOR EACH ROW
  WHEN (OLD.doc -> 'status' IS DISTINCT FROM NEW.doc -> 'status'
    OR (OLD.doc IS DISTINCT FROM NEW.doc AND is_progress_due(OLD.published)))
  EXECUTE FUNCTION note_run_published();
--> statement-breakpoint
DROP TRIGGER retention_runs_published ON "retention_runs";
--> statement-breakpoint
CREATE TRIGGER retention_runs_published AFTER UPDATE ON "retention_runs" FOR EACH ROW
  WHEN (OLD.published IS DISTINCT FROM NEW.published) EXECUTE FUNCTION publish_retention_run();
