import { Link } from '@tanstack/react-router';
import { useMay } from '~/api/use-may.ts';
import { HEALTH, useTroubles } from '~/screens/admin/system/use-troubles.ts';

/** What is wrong with the service itself, on every page; nothing while all is well. */
export function Trouble() {
  const may = useMay();
  const troubles = useTroubles();
  const [first] = troubles;
  const text = troubles.length > 1 ? `${troubles.length} problems of the service` : first?.text;
  const all = troubles.map((one) => one.text).join('; ');
  return (
    <span role="status" aria-label="Trouble" className="trouble">
      {first &&
        (may('health.getSystem') ? (
          <Link to={troubles.length > 1 ? HEALTH : first.page} className="badge" data-tone="bad" title={all}>
            {text}
          </Link>
        ) : (
          <span className="badge" data-tone="bad" title={all}>
            {text}
          </span>
        ))}
    </span>
  );
}
