// What reset_synchroniser is made of; from modules.sh, by filelists.sh.  SPDX-License-Identifier: Apache-2.0
+incdir+lib
lib/reset_synchroniser.v
lib/synchroniser.v
