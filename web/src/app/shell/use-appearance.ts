import { useEffect } from 'react';
import { type Preferences, usePreferences } from '~/api/use-preferences.ts';
import { showProblem } from '~/ui/overlays/toast.tsx';

type Theme = NonNullable<Preferences['theme']>;
type Density = NonNullable<Preferences['density']>;

/** Theme and row height as the account chose them; the theme follows the system until one is chosen. */
export function useAppearance() {
  const [{ theme = 'system', density = 'comfortable' }, change] = usePreferences();
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
    dataset.density = density;
  }, [theme, density]);
  return {
    theme,
    density,
    setTheme: (theme: Theme) => change(() => ({ theme })).catch(showProblem),
    setDensity: (density: Density) => change(() => ({ density })).catch(showProblem),
  };
}
