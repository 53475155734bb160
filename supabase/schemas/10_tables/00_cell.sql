-- Which cell of the installation this database is, and whether it is the one that works: one row, which activate_cell
-- writes. A copy of the database (a restored dump, a logical replica, a database made from a template) has the row of
-- its original, which names another database. So it sends nothing until activate_cell is called there.
create table outbound.cell (
  is_only boolean not null default true,
  number smallint not null default 0,
  state text not null,
  -- Of the server's cluster: initdb makes it, and a physical replica keeps it.
  system_identifier bigint not null,
  -- Of the database in its cluster.
  database_oid oid not null,
  activated_at timestamptz not null default now(),
  constraint cell_pkey primary key (is_only),
  constraint cell_only_check check (is_only),
  constraint cell_number_check check (number between 0 and 4095),
  constraint cell_state_check check (state in ('active', 'standby'))
);
alter table outbound.cell enable row level security;
