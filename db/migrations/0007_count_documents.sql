-- Now and then a writer adds up what was appended for its table. Rows that somebody else adds up at this moment are left
-- to him, so nobody waits; the writer's own lock on the table keeps TRUNCATE away meanwhile. Only under READ COMMITTED:
-- elsewhere a row that went after the snapshot would fail the write. What adds up to nothing stays, under a new mark: if it
-- went, the marks would be those of a state long past.
CREATE FUNCTION compact_document_counts(counted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() >= 1 / 64.0 OR current_setting('transaction_isolation') <> 'read committed' THEN RETURN; END IF;
  WITH grown AS (
    SELECT scope FROM document_counts WHERE table_name = counted GROUP BY scope HAVING count(*) > 1
  ), taken AS (
    SELECT counts.ctid AS place FROM document_counts counts
    WHERE table_name = counted AND EXISTS (SELECT FROM grown WHERE grown.scope IS NOT DISTINCT FROM counts.scope)
    FOR UPDATE OF counts SKIP LOCKED
  ), gone AS (
    DELETE FROM document_counts WHERE ctid = ANY (ARRAY(SELECT place FROM taken)) RETURNING scope, n
  )
  INSERT INTO document_counts (table_name, scope, n)
  SELECT counted, scope, sum(n) FROM gone GROUP BY scope;
END
$$;
--> statement-breakpoint
-- From now on `document_counts` says how many documents a table has, for each value of one of its columns (null: as a
-- whole). The sum is exact in every snapshot: what a transaction appends is seen, and taken back, with what it wrote.
-- A change of documents leaves a row of 0, so that the marks tell of it. A later migration has another table counted by the same call, with a line in db/counts.ts.
CREATE FUNCTION count_documents(counted text, scope text) RETURNS void LANGUAGE plpgsql AS $$
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
      END IF;
      IF TG_OP = 'UPDATE' AND TG_LEVEL = 'STATEMENT' THEN
        INSERT INTO document_counts (table_name, n) VALUES (%L, 0);
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
  $function$, 'count_' || counted, counted, counted, counted, was, counted, is_now, counted, each, counted);
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_in', counted, 'count_' || counted);
  EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_out', counted, 'count_' || counted);
  EXECUTE format('CREATE TRIGGER %I AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_none', counted, 'count_' || counted);
  EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    counted || '_counted_anew', counted, 'count_' || counted);
  IF scope IS NOT NULL THEN
    -- for each row, and only where the column changes: an ordinary update pays nothing
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (OLD.%I IS DISTINCT FROM NEW.%I) EXECUTE FUNCTION %I()',
      counted || '_counted_over', counted, scope, scope, 'count_' || counted);
  END IF;
END
$$;
--> statement-breakpoint
SELECT count_documents(counted, scope) FROM (VALUES
  ('workflows', 'project_id'),
  ('transformations', 'project_id'),
  ('templates', 'project_id'),
  ('forms', 'project_id'),
  ('command_templates', 'project_id'),
  ('analytic_templates', 'project_id'),
  ('projects', 'readers'),
  ('automations', 'read_groups'),
  ('parsers', 'read_groups'),
  ('golden_trees', 'read_groups'),
  ('backups', 'read_groups'),
  ('audit', NULL)
) AS tables (counted, scope);
