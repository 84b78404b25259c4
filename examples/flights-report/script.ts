// Written as a model writes for: "When should I fly, and did the ground shake under any airport? Publish a report."
interface Flight {
  delay: number; // minutes
  distance: number; // miles
  time: number; // hour of the day
}
interface Airport {
  iata: string;
  name: string;
  state: string;
  latitude: number;
  longitude: number;
}

const [flights, airports, earthquakes] = await Promise.all(
  ['flights', 'airports', 'earthquakes'].map((name) => tools.open_dataset({ name })),
);

// Three tools read the stored tables at the same time; only refs travel.
const [profile, places, quakes] = await Promise.all([
  tools.profile_table({ table: flights }),
  tools.query_rows({ table: airports, select: ['iata', 'name', 'state', 'latitude', 'longitude'], limit: 5000 }),
  quakesFrom(2.5),
]);
const airfields = (await places.json()).rows as Airport[];

// 200 000 flights are counted in the sandbox, not in the conversation.
const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, flights: 0, late: 0, delay: 0 }));
for (const { delay, time } of (await flights.json()) as Flight[]) {
  const at = hours[Math.floor(time)];
  at.flights += 1;
  at.delay += delay;
  if (delay > 15) at.late += 1;
}
const share = (at: (typeof hours)[number]): number => (100 * at.late) / at.flights;
const busy = hours.filter((at) => at.flights >= 1000);
const best = busy.reduce((left, right) => (share(right) < share(left) ? right : left));
const worst = busy.reduce((left, right) => (share(right) > share(left) ? right : left));

const shaken = quakes.rows
  .map((quake) => ({ quake, ...nearestAirport(quake['geometry.coordinates']) }))
  .filter(({ km }) => km <= 50)
  .sort((left, right) => right.quake['properties.mag'] - left.quake['properties.mag']);

const published = await publish('When to fly', [
  `${profile.rows} flights; one is late when its delay is more than 15 minutes.`,
  `**Fly at ${best.hour}:00** (${share(best).toFixed(0)} % late), **not at ${worst.hour}:00** (${share(worst).toFixed(0)} % late).`,
  '| hour | flights | mean delay | late |\n|---:|---:|---:|---:|\n' +
    busy
      .map(
        (at) =>
          `| ${at.hour} | ${at.flights} | ${(at.delay / at.flights).toFixed(1)} min | ${share(at).toFixed(1)} % |`,
      )
      .join('\n'),
  `Of ${quakes.matched} earthquakes of magnitude 2.5 and more in that week, ${shaken.length} were within 50 km of one of ${airfields.length} airports:`,
  shaken
    .slice(0, 8)
    .map(
      ({ quake, airport, km }) =>
        `- ${quake['properties.mag']}, ${quake['properties.place']}: ${km.toFixed(0)} km from ${airport.name} (${airport.iata}, ${airport.state})`,
    )
    .join('\n'),
]);

export default {
  flights: profile.rows,
  bestHour: `${best.hour}:00, ${share(best).toFixed(1)} % late`,
  worstHour: `${worst.hour}:00, ${share(worst).toFixed(1)} % late`,
  airportsShaken: new Set(shaken.map(({ airport }) => airport.iata)).size,
  strongest:
    shaken[0] && `${shaken[0].quake['properties.mag']} at ${shaken[0].km.toFixed(0)} km from ${shaken[0].airport.name}`,
  published,
};

async function quakesFrom(magnitude: number) {
  const query = {
    table: earthquakes,
    select: ['properties.mag', 'properties.place', 'geometry.coordinates'],
    limit: 1000,
  };
  try {
    return await tools.query_rows({ ...query, where: [{ column: 'magnitude', is: '>=', value: magnitude }] });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.warn(error.message.slice(0, 60), '… trying properties.mag');
    return tools.query_rows({ ...query, where: [{ column: 'properties.mag', is: '>=', value: magnitude }] });
  }
}

function nearestAirport([longitude, latitude]: number[]): { airport: Airport; km: number } {
  const radians = Math.PI / 180;
  let nearest = { airport: airfields[0], km: Infinity };
  for (const airport of airfields) {
    const half = (left: number, right: number): number => Math.sin(((right - left) * radians) / 2) ** 2;
    const height = half(latitude, airport.latitude);
    const width =
      Math.cos(latitude * radians) * Math.cos(airport.latitude * radians) * half(longitude, airport.longitude);
    const km = 12_742 * Math.asin(Math.sqrt(height + width));
    if (km < nearest.km) nearest = { airport, km };
  }
  return nearest;
}

async function publish(title: string, paragraphs: string[]): Promise<string> {
  const result = await tools.publish_report.safe({ title, markdown: paragraphs.join('\n\n') });
  return result.status === 'ok' ? result.structured.file : `not published: ${result.text}`;
}
