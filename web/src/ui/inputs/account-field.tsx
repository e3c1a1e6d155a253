import { useAccounts } from '~/api/use-accounts.ts';
import { TextField } from '../fields.tsx';
import { Loading } from '../states.tsx';
import { SelectField } from './select-field.tsx';
import { Unread } from './unread.tsx';

type AccountFieldProps = { value: string; onChange: (id: string) => void; autoFocus?: boolean };

/** Chooses an account by its id: one of a list where accounts may be read, else the id is typed. */
export function AccountField({ value, onChange, autoFocus = false }: AccountFieldProps) {
  const accounts = useAccounts();
  if (accounts.isLoading) return <Loading what="Loading accounts" />;
  if (!accounts.data?.length)
    return (
      <TextField
        label="Account"
        note={<Unread what="Account" from={accounts} />}
        hint="Its id"
        value={value}
        onChange={onChange}
        isRequired
        autoFocus={autoFocus}
      />
    );
  return (
    <SelectField
      label="Account"
      from={accounts}
      value={value}
      onChange={onChange}
      choices={[{ value: '', label: 'Choose an account' }, ...accounts.data]}
    />
  );
}
