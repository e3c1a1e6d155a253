CREATE TRIGGER adapters_access_changed AFTER INSERT OR DELETE OR UPDATE OF "doc" ON "adapters" FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
