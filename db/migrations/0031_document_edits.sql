CREATE TABLE "document_edits" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"table_name" text NOT NULL,
	"by" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"sign" smallint,
	"columns" jsonb
);
--> statement-breakpoint
CREATE TABLE "forgotten_edits" (
	"upto" "xid8" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "document_edits_table" ON "document_edits" USING btree ("table_name","by");
--> statement-breakpoint
INSERT INTO forgotten_edits (upto) VALUES ('0');
--> statement-breakpoint
-- Now and then a writer forgets what is old, and says up to where. One at a time; under READ COMMITTED alone, as
-- elsewhere a row that went after the snapshot would fail the write.
CREATE FUNCTION forget_document_edits() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() >= 1 / 256.0 OR current_setting('transaction_isolation') <> 'read committed' THEN RETURN; END IF;
  IF NOT pg_try_advisory_xact_lock(7398211642) THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM document_edits WHERE id < (SELECT max(id) - 20000 FROM document_edits) RETURNING by
  )
  UPDATE forgotten_edits SET upto = greatest(upto, (SELECT by FROM gone ORDER BY by DESC LIMIT 1));
END
$$;
--> statement-breakpoint
-- From now on `document_edits` tells what a statement did to the columns of a table's documents; of a statement that wrote
-- more than 500 only that it did. To be called again when the table has another column that lists ask for.
CREATE FUNCTION log_document_edits(logged text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  columns text := (
    SELECT string_agg(format('%1$L, %1$I', attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = logged::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'doc'
  );
  event record;
BEGIN
  EXECUTE format($function$
    CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP = 'TRUNCATE' THEN
        INSERT INTO document_edits (table_name) VALUES (%2$L);
      ELSIF (SELECT count(*) FROM (SELECT FROM changed LIMIT 501) AS few) > 500 THEN
        INSERT INTO document_edits (table_name) VALUES (%2$L);
      ELSE
        IF TG_OP = 'UPDATE' THEN
          INSERT INTO document_edits (table_name, sign, columns) SELECT %2$L, -1, jsonb_build_object(%3$s) FROM was;
        END IF;
        INSERT INTO document_edits (table_name, sign, columns)
        SELECT %2$L, CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END, jsonb_build_object(%3$s) FROM changed;
      END IF;
      PERFORM forget_document_edits();
      RETURN NULL;
    END
    $body$
  $function$, 'log_' || logged, logged, columns);
  FOR event IN SELECT * FROM (VALUES
    ('in', 'INSERT', 'REFERENCING NEW TABLE AS changed'),
    ('out', 'DELETE', 'REFERENCING OLD TABLE AS changed'),
    ('anew', 'UPDATE', 'REFERENCING OLD TABLE AS was NEW TABLE AS changed'),
    ('none', 'TRUNCATE', '')
  ) AS events (name, what, tables) LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %I %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      logged || '_logged_' || event.name, event.what, logged, event.tables, 'log_' || logged);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Audit rows are left out: they are only added, with each write, and seldom listed.
SELECT log_document_edits(logged) FROM (VALUES
  ('workflows'), ('transformations'), ('templates'), ('forms'), ('command_templates'), ('analytic_templates'),
  ('projects'), ('automations'), ('parsers'), ('golden_trees'), ('backups')
) AS tables (logged);
--> statement-breakpoint
-- What was changed is told by the edits: counts need no rows of 0 for it, nor marks.
DO $$
DECLARE
  counted text;
BEGIN
  FOR counted IN SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%\_counted\_anew' LOOP
    EXECUTE format('DROP TRIGGER %I ON %I', counted || '_counted_anew', counted);
  END LOOP;
END
$$;
--> statement-breakpoint
ALTER TABLE "document_counts" DROP COLUMN "mark";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION compact_document_counts(counted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() >= 1 / 64.0 OR current_setting('transaction_isolation') <> 'read committed' THEN RETURN; END IF;
  WITH grown AS (
    SELECT scope, kind FROM document_counts WHERE table_name = counted GROUP BY 1, 2 HAVING count(*) > 1
  ), taken AS (
    SELECT counts.ctid AS place FROM document_counts counts
    WHERE table_name = counted AND EXISTS (SELECT FROM grown
      WHERE (grown.scope, grown.kind) IS NOT DISTINCT FROM (counts.scope, counts.kind))
    FOR UPDATE OF counts SKIP LOCKED
  ), gone AS (
    DELETE FROM document_counts WHERE ctid = ANY (ARRAY(SELECT place FROM taken)) RETURNING scope, kind, n
  )
  INSERT INTO document_counts (table_name, scope, kind, n)
  SELECT counted, scope, kind, sum(n) FROM gone GROUP BY scope, kind HAVING sum(n) <> 0;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_documents(counted text, scope text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  was text := CASE WHEN scope IS NULL THEN 'NULL' ELSE format('OLD.%I::text', scope) END;
  is_now text := CASE WHEN scope IS NULL THEN 'NULL' ELSE format('NEW.%I::text', scope) END;
  each text := CASE WHEN scope IS NULL THEN 'NULL' ELSE format('%I::text', scope) END;
BEGIN
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', counted);
  EXECUTE format('INSERT INTO document_counts (table_name, scope, n) SELECT %L, %s, count(*) FROM %I GROUP BY 2', counted, each, counted);
  EXECUTE format($function$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM document_counts WHERE table_name = %L;
        RETURN NULL;
      ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO document_counts (table_name, scope, n) VALUES (%L, %s, -1), (%L, %s, 1);
      ELSE
        INSERT INTO document_counts (table_name, scope, n)
        SELECT %L, %s, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY 2;
      END IF;
      PERFORM compact_document_counts(%L);
      RETURN NULL;
    END
    $body$
  $function$, 'count_' || counted, counted, counted, was, counted, is_now, counted, each, counted);
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_in', counted, 'count_' || counted);
  EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_out', counted, 'count_' || counted);
  EXECUTE format('CREATE TRIGGER %I AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_none', counted, 'count_' || counted);
  IF scope IS NOT NULL THEN
    -- for each row, and only where the column changes: an ordinary update pays nothing
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (OLD.%I IS DISTINCT FROM NEW.%I) EXECUTE FUNCTION %I()',
      counted || '_counted_over', counted, scope, scope, 'count_' || counted);
  END IF;
END
$$;
