import { KernelError } from '@ravi/kernel';
import { nearNames } from '@ravi/support';

const maxLength = 64;
const namePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/**
 * Returns the name of an IANA time zone in its usual spelling. @throws KernelError `E_ARGUMENTS_INVALID` with similar names for an
 * unknown one, and for an offset, which has no daylight saving
 */
export function checkTimeZone(timeZone: string): string {
  const known = spelling(timeZone);
  if (known !== undefined) return known;
  const near = suggestions(timeZone);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  const shown = JSON.stringify(timeZone.slice(0, maxLength));
  throw new KernelError(
    'E_ARGUMENTS_INVALID',
    `There is no time zone ${shown}${hint}${hint === '' ? '.' : ''} Use a name of the IANA database, such as Europe/Berlin or UTC`,
  );
}

function spelling(timeZone: string): string | undefined {
  if (timeZone.length > maxLength || !namePattern.test(timeZone)) return undefined;
  try {
    const { timeZone: resolved } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions();
    // Another name of the same zone stays as it was given.
    return resolved.toLowerCase() === timeZone.toLowerCase() ? resolved : timeZone;
  } catch {
    return undefined;
  }
}

function suggestions(timeZone: string): readonly string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1);
  const cities = new Map(zones.map((zone) => [city(zone), zone]));
  const ofCity = nearNames(city(timeZone), cities.keys()).flatMap((name) => cities.get(name) ?? []);
  return [...new Set([...ofCity, ...nearNames(timeZone, zones)])].slice(0, 3);
}
