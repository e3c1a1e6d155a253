import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Inputs, trpc } from '~/api/client.ts';
import { useSettled } from '~/api/use-settled.ts';
import { TokensField, type TokensFieldProps } from '../inputs/tokens-field.tsx';

type ValuesFieldProps = Omit<TokensFieldProps, 'known' | 'onType'> & {
  field: Inputs['inventory']['listSelectionValues']['field'];
};

/** Values that are read at once; few installations have more of a field. */
const ALL = 1000;
/** Values that are offered while one is typed. */
const OFFERED = 50;

/** Values of one field of a selection; those that exist are offered with the number of their devices. */
export function ValuesField({ field, ...tokens }: ValuesFieldProps) {
  const [typed, setTyped] = useState('');
  const sought = useSettled(typed);
  const read = useQuery(
    trpc.inventory.listSelectionValues.queryOptions({ field, limit: ALL }, { staleTime: 60_000 }),
  );
  const all = read.data?.values;
  // Each question counts the devices of every value: the server is asked again only for values beyond the first.
  const isCut = all?.length === ALL && sought !== '';
  const found = useQuery(
    trpc.inventory.listSelectionValues.queryOptions(
      { field, text: sought, limit: OFFERED },
      { placeholderData: keepPreviousData, staleTime: 60_000, enabled: isCut },
    ),
  );
  const text = typed.toLowerCase();
  const offered = isCut ? found.data?.values : all?.filter(({ value }) => value.toLowerCase().includes(text));
  const known = (offered ?? []).slice(0, OFFERED).map(({ value, devices }) => ({
    value,
    note: devices === null ? 'by a selection' : `${devices} ${devices === 1 ? 'device' : 'devices'}`,
  }));
  return <TokensField {...tokens} known={known} from={[read, found]} onType={setTyped} />;
}
