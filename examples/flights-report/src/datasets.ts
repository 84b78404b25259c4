/** A file of the npm package `vega-datasets`. */
export interface Dataset {
  readonly name: string;
  readonly file: string;
  readonly description: string;
}

/** The tables that the tools know. */
export const datasets: readonly Dataset[] = [
  {
    name: 'flights',
    file: 'flights-200k.json',
    description: '200 000 domestic flights in the USA: delay (minutes), distance (miles), time (hour of the day).',
  },
  {
    name: 'airports',
    file: 'airports.csv',
    description: 'Airports of the USA: iata, name, city, state, country, latitude, longitude.',
  },
  {
    name: 'earthquakes',
    file: 'earthquakes.json',
    description:
      'GeoJSON of one week of earthquakes: properties.mag, properties.place, geometry.coordinates [lon, lat, km].',
  },
];

/** Returns the path of the file, wherever the package is installed. */
export function locate(dataset: Dataset): URL {
  return new URL(`../data/${dataset.file}`, import.meta.resolve('vega-datasets'));
}
