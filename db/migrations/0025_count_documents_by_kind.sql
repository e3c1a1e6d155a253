-- As before, and each kind is added up by itself.
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
  SELECT counted, scope, kind, sum(n) FROM gone GROUP BY scope, kind;
END
$$;
--> statement-breakpoint
-- Has a table that `count_documents` counts by a scope counted by the values of another column too, so that lists filtered
-- by that column know their totals. For columns of few values.
CREATE FUNCTION count_documents_by_kind(counted text, scope text, kind text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', counted);
  DELETE FROM document_counts WHERE table_name = counted;
  EXECUTE format('INSERT INTO document_counts (table_name, scope, kind, n) SELECT %L, %I::text, %I::text, count(*) FROM %I GROUP BY 2, 3',
    counted, scope, kind, counted);
  EXECUTE format($function$
    CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM document_counts WHERE table_name = %2$L;
        RETURN NULL;
      END IF;
      IF TG_OP = 'UPDATE' AND TG_LEVEL = 'STATEMENT' THEN
        INSERT INTO document_counts (table_name, n) VALUES (%2$L, 0);
      ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO document_counts (table_name, scope, kind, n)
        VALUES (%2$L, OLD.%3$I::text, OLD.%4$I::text, -1), (%2$L, NEW.%3$I::text, NEW.%4$I::text, 1);
      ELSE
        INSERT INTO document_counts (table_name, scope, kind, n)
        SELECT %2$L, %3$I::text, %4$I::text, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY 2, 3;
      END IF;
      PERFORM compact_document_counts(%2$L);
      RETURN NULL;
    END
    $body$
  $function$, 'count_' || counted, counted, scope, kind);
  EXECUTE format('DROP TRIGGER %I ON %I', counted || '_counted_over', counted);
  EXECUTE format('CREATE TRIGGER %1$I AFTER UPDATE ON %2$I FOR EACH ROW
      WHEN ((OLD.%3$I, OLD.%4$I) IS DISTINCT FROM (NEW.%3$I, NEW.%4$I)) EXECUTE FUNCTION %5$I()',
    counted || '_counted_over', counted, scope, kind, 'count_' || counted);
END
$$;
--> statement-breakpoint
SELECT count_documents_by_kind('workflows', 'project_id', 'type'), count_documents_by_kind('templates', 'project_id', 'type');
