-- Every character of a name with its neighbour, the last one alone: what is sought by one or two characters, or by
-- others that make no word, is among these (decision 0060). Letters are lowered as `lower(name)` of a column in byte order.
-- The cost is what it takes beside a comparison, so that no plan asks it of many rows.
CREATE FUNCTION bigrams(name text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
BEGIN
  RETURN array_to_tsvector(array_remove(
    string_to_array(regexp_replace(lower(name COLLATE "C"), '(.)', E'\\1\n\\1', 'g'), E'\n'), ''));
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['workflows', 'transformations', 'templates', 'forms', 'command_templates',
    'analytic_templates', 'projects', 'automations', 'golden_trees', 'parsers', 'backups'] LOOP
    EXECUTE format('CREATE INDEX %I ON %I USING gin (bigrams(name))', named || '_name_bigrams', named);
  END LOOP;
END
$$;
