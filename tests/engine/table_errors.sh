#!/bin/sh
# The report on what makes H-FA's error: a minute of arithmetic.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report table_errors --impl c --seeds 1 --out r --quiet

# Mitchell's additions are most of the error, and together the three shares are all of it.
holds '[.rows[].share_percent | objects] | length == 4 and all(
  .mitchell >= 40 and .mitchell <= 100 and .quantised >= 0 and .quantised <= 60 and (.pwl | fabs <= 2) and
  (.mitchell + .quantised + ([.pwl, 0] | max) - 100 | fabs < 0.01))' r/table_errors.json
holds 'any(.rows[].paper | objects; .pwl == 2.5)' r/table_errors.json
